// Charts tell their marks on a pointer and on the arrow keys: the titles within the picture. On the pages of reports
// and of `plimsoll serve`.
export function tellMarks(svg) {
  const marks = [...svg.querySelectorAll("title")].map((title) => ({mark: title.parentNode, text: title.textContent}));
  if (marks.length === 0) return;
  marks.sort((a, b) => a.mark.getBBox().x - b.mark.getBBox().x);
  let at = -1;
  const out = document.createElement("output");
  out.textContent = "Point at a mark, or use the arrow keys, to read it.";
  const read = (i) => {
    marks[at]?.mark.classList.remove("read");
    at = (i + marks.length) % marks.length;
    marks[at].mark.classList.add("read");
    out.textContent = marks[at].text;
  };
  marks.forEach(({mark}, i) => mark.addEventListener("pointerenter", () => read(i)));
  svg.setAttribute("tabindex", "0");
  svg.setAttribute("role", "group");
  svg.addEventListener("keydown", (event) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (step === undefined) return;
    event.preventDefault();
    read(at === -1 && step === -1 ? -1 : at + step);
  });
  svg.after(out);
}
