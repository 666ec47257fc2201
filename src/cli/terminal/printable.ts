/** Control characters of untrusted texts and paths must not begin a line or move a cursor. */
export function printable(line: string): string {
  return line.replace(/\p{Cc}/gu, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
}
