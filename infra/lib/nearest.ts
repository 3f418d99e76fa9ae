/** The name that a misspelt one most likely stands for: at most a third of its letters differ, case left aside. */
export function nearest(misspelt: string, names: readonly string[]): string | undefined {
  const wanted = misspelt.trim().toLowerCase();
  const [best] = names
    .map((name) => ({ name, edits: editsBetween(wanted, name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= name.length / 3)
    .sort((a, b) => a.edits - b.edits);
  return best?.name;
}

/** The number of letters that have to be put in, left out or changed to make one text of the other (Levenshtein). */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1];
    for (const [column, other] of [...to].entries()) {
      const changed = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
