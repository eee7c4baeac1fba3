// Shows every instant in the reader's own time zone, in the form of the page's language.
const { lang } = document.documentElement;
const own = new Intl.DateTimeFormat().resolvedOptions().locale;
const near = new Intl.DateTimeFormat(own.split("-")[0] === lang ? own : lang, { dateStyle: "medium", timeStyle: "short" });

for (const shown of document.querySelectorAll("time[datetime]")) {
  const instant = new Date(shown.dateTime);
  shown.title = shown.textContent;
  shown.textContent = near.format(instant);
}
