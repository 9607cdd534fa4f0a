/**
 * Foreign text as a cell. A leading apostrophe keeps spreadsheets from interpreting it as a formula.
 *
 * Source: RFC 4180; OWASP, "CSV Injection".
 */
export function csvCell(text: string): string {
  const safe = /^[\s\0]*[=+\-@|\uff0b\uff0d\uff1d\uff20]|^[\t\r\n]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
