/** JSON text as nobody has checked it yet. */
export function parsedJson(text: string): unknown {
  return JSON.parse(text);
}
