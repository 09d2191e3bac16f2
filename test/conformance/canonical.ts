// Writes answers so that two runs of the same program give the same text: what is random or timed stands as a number.
import type { TestResponse } from '../support/client.js'

/** What is random or timed, and the word that stands for it with a number. */
const NUMBERED: Readonly<Record<string, RegExp>> = {
  uuid: /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi,
  time: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g
}
const CONSTANT = /^0{8}-|^0001-01-01/
const INDEX = /("(?:CreateIndex|ModifyIndex|Index)":\s*|\bindex=)(\d+)/g
/** What compression makes of a snapshot, of which each is different, begins so. */
const GZIP = '\u001f\ufffd'
const INDEX_HEADERS: readonly string[] = ['x-service-index', 'x-consul-index']

/**
 * One text for each answer of a conversation: its status, its headers by name but Date, its body. JSON without white space
 * of its own is indented. A UUID or time has one number wherever it occurs in the conversation, the first being 1; an index
 * stands as its rank among all that occur.
 * @param names what stands for a word that differs from run to run, such as a port
 */
export function canonical(
  answers: readonly TestResponse[],
  names: Readonly<Record<string, string>>
): readonly string[] {
  const rank = ranks(answers)
  const numbers = new Map<string, string>()
  const counts = new Map<string, number>()
  const numberOf = (word: string, found: string): string => {
    const known = CONSTANT.test(found) ? found : numbers.get(found)
    if (known !== undefined) return known
    const count = (counts.get(word) ?? 0) + 1
    counts.set(word, count)
    numbers.set(found, `${word}-${count}`)
    return `${word}-${count}`
  }
  const write = (text: string): string => {
    let written = text.replaceAll(INDEX, (_, before: string, index: string) => before + rank(index))
    for (const [word, pattern] of Object.entries(NUMBERED))
      written = written.replaceAll(pattern, found => numberOf(word, found))
    for (const [found, name] of Object.entries(names)) written = written.replaceAll(found, name)
    return written
  }
  return answers.map(answer => {
    const headers = headerLines(answer, rank).map(write)
    return [String(answer.status), ...headers, '', indented(answer.text, write), ''].join('\n')
  })
}

function ranks(answers: readonly TestResponse[]): (index: string) => string {
  const indexes = new Set(
    answers.flatMap(({ headers, text }) => [
      ...INDEX_HEADERS.map(name => Number(headers[name] ?? 0)),
      ...Array.from(text.matchAll(INDEX), ([, , index]) => Number(index))
    ])
  )
  indexes.delete(0)
  const ordered = [0, ...[...indexes].toSorted((a, b) => a - b)]
  return index => String(ordered.indexOf(Number(index)))
}

function headerLines({ headers, text }: TestResponse, rank: (index: string) => string): readonly string[] {
  return Object.entries(headers)
    .filter(([name]) => name !== 'date')
    .map(([name, value]) => {
      const written = String(value)
      if (INDEX_HEADERS.includes(name)) return `${name}: ${rank(written)}`
      // The number says how long the numbers and times in the body are.
      const isLength = name === 'content-length' && written === String(Buffer.byteLength(text))
      return `${name}: ${isLength ? 'as long as the body' : written}`
    })
    .toSorted()
}

function indented(text: string, write: (text: string) => string): string {
  if (text.startsWith(GZIP)) return 'a gzip archive'
  try {
    const value: unknown = JSON.parse(text)
    return write(JSON.stringify(value) === text ? JSON.stringify(value, null, 1) : text)
  } catch {
    return write(text)
  }
}
