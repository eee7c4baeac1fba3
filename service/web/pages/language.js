// Keeps the language that is chosen on this device, for the service to answer in, and shows the page in it.
const YEAR = 365 * 24 * 60 * 60;
const [script] = document.querySelectorAll("script[data-root]");

for (const choice of document.querySelectorAll("[data-language]")) {
  choice.hidden = false;
  choice.addEventListener("click", () => {
    document.cookie = `language=${choice.dataset.language}; path=${script.dataset.root}; max-age=${YEAR}; samesite=lax`;
    location.reload();
  });
}
