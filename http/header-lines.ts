// Headers as the lines of a head.
import { validateHeaderName, validateHeaderValue } from 'node:http'

/** One header, its name and value known to be sound. */
export const headerLine = (name: string, value: string | number): string => `${name}: ${value}\r\n`

/**
 * The lines of headers, names and values in turn.
 * @throws TypeError for a name or value that HTTP does not allow
 */
export const headerLines = (headers: readonly string[]): string => {
  let lines = ''
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const [name = '', value = ''] = [headers[i], headers[i + 1]]
    validateHeaderName(name)
    validateHeaderValue(name, value)
    lines += headerLine(name, value)
  }
  return lines
}
