// expect: "11902:fox-40452:600"
(() => {
  // Building, slicing, searching, splitting and joining.
  let text = "";
  for (let i = 0; i < 600; i++) text += "item " + i + ", ";
  const words = text.split(", ");
  let length = 0;
  for (const word of words) length += word.toUpperCase().trim().replace("ITEM", "fox").length;
  let found = 0;
  for (let i = 0; i < 600; i++) if (text.indexOf("item " + i + ",") >= 0) found++;
  let codes = 0;
  for (let i = 0; i < text.length; i++) codes = (codes + text.charCodeAt(i) * (i & 7)) % 100003;
  const padded = words.map((w) => w.padStart(12, "-")).join("|");
  return padded.length + length + ":fox-" + codes + ":" + found;
})()
