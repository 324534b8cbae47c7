// The elements with text of their own whose contrast to their ground is under 4.5 to 1 (WCAG 2.2, 1.4.3).
const channel = (value) => {
  const share = value / 255;
  return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
};
const parsed = (text) => text.match(/[\d.]+/g).map(Number);
const luminance = ([red, green, blue]) => 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue);
const ground = (element) => {
  for (let each = element; each; each = each.parentElement) {
    const colour = parsed(getComputedStyle(each).backgroundColor);
    if (colour.length < 4 || colour[3] > 0.5) return colour;
  }
  return [255, 255, 255];
};
const ratio = (element) => {
  const pair = [luminance(parsed(getComputedStyle(element).color)), luminance(ground(element))];
  return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
};
const texts = [...document.querySelectorAll("main *, header *, footer *")].filter(
  (element) => element.checkVisibility() && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()),
);
return texts.filter((each) => ratio(each) < 4.5).map((each) => `${each.tagName}.${each.className} ${ratio(each)}`);
