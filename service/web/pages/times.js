// Shows every instant in the reader's own time zone and form.
const near = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

for (const shown of document.querySelectorAll("time[datetime]")) {
  const instant = new Date(shown.dateTime);
  shown.title = shown.textContent;
  shown.textContent = near.format(instant);
}
