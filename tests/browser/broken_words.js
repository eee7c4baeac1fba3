// Words of controls and headings that do not stand on one line.
() => {
  const found = [];
  const range = document.createRange();
  for (const element of document.querySelectorAll("button, label, summary, h1, h2, h3, th")) {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      for (const { 0: word, index } of text.data.matchAll(/\p{L}+/gu)) {
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        if (range.getClientRects().length > 1) found.push(`${word} in ${element.localName}`);
      }
    }
  }
  return found;
};
