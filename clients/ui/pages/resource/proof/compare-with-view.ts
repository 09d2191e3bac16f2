// Compares the displayed version with the record of its commit.
import type { Query } from '../../../../typescript/connection.js'
import type { DisclosedLeaf } from '../../../../../events/log/evidence/open-leaf.js'
import { parseExact } from '../../../session/exact-json.js'
import { fieldsOf, type Fields } from '../../../resources/kind.js'
import type { Version } from '../../../resources/versions.js'
import { Unproved } from './evidence.js'

/** Topics whose events the stream converts; some of their fields are not in the log. */
const ADAPTED = ['Node', 'Service']

interface RecordEvent {
  readonly head: Fields
  /** Undefined if withheld or erased. */
  readonly payload: Fields | undefined
}

const eventsOf = ({ Parts }: DisclosedLeaf): readonly RecordEvent[] => {
  const events: RecordEvent[] = []
  let head: Fields | undefined
  for (const { Kind, Text } of Parts) {
    if (Kind === 'Head') head = Text === undefined ? undefined : parseExact(Text)
    if (Kind === 'Payload' && head)
      events.push({ head, payload: Text === undefined ? undefined : parseExact(Text) })
  }
  return events
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0)

/** Returns one text for equal values, whatever the order of their fields. Logs store an integer beyond 2^53-1 as the text of its digits. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, function (this: object, name: string, inner: unknown) {
    const original: unknown = Reflect.get(this, name)
    if (typeof original === 'bigint') return String(original)
    return typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner
  })

/** Returns the names of the fields that differ, and of those that only the page has. */
const compared = (record: Fields, page: Fields, isAdapted: boolean): readonly [string[], string[]] => {
  const differ: string[] = []
  const added: string[] = []
  for (const name of new Set([...Object.keys(record), ...Object.keys(page)])) {
    if (isAdapted && !(name in page)) continue
    if (isAdapted && !(name in record)) added.push(name)
    else if (isAdapted && isEmpty(record[name]) && isEmpty(page[name])) continue
    else if (canonical(record[name]) !== canonical(page[name])) differ.push(name)
  }
  return [differ, added]
}

export interface ViewComparison {
  /** The record discloses the new state; otherwise it is withheld or erased. */
  readonly isOpen: boolean
  /** Fields of the page that the record does not have. */
  readonly added: readonly string[]
  /** The origin was compared, too. */
  readonly hasWho: boolean
}

/** @param leaf with a valid proof @throws Unproved if the page shows something else */
export const compareWithView = (
  leaf: DisclosedLeaf,
  time: string,
  version: Version,
  named: Query
): ViewComparison => {
  if (version.Time !== time)
    throw new Unproved(`the commit was made at ${time}, and the page says ${version.Time}`)
  const who = leaf.Parts.find(({ Kind }) => Kind === 'Who')?.Text
  const { By } = version
  const hasWho = who !== undefined && By !== undefined
  if (hasWho) sameWho(parseExact(who), By)
  const { topic, key, ns = 'default', partition = 'default' } = named
  const about = eventsOf(leaf).filter(
    ({ head }) =>
      head['Topic'] === topic &&
      String(head['Key']).toLowerCase() === String(key).toLowerCase() &&
      ['', ns].includes(String(head['Namespace'])) &&
      (head['Partition'] ?? 'default') === partition &&
      head['Type'] === version.Type
  )
  if (about.length === 0) {
    const isWithheld = leaf.Parts.some(({ Kind, Withheld }) => Kind === 'Head' && Withheld)
    if (isWithheld) return { isOpen: false, added: [], hasWho }
    throw new Unproved('the commit contains no event of this resource')
  }
  const { Payload } = version
  const open = about.flatMap(({ payload }) => (payload ? [payload] : []))
  if (!Payload || open.length === 0) return { isOpen: false, added: [], hasWho }
  const isAdapted = ADAPTED.includes(String(topic))
  const results = open.map(payload => compared(fieldsOf(payload), fieldsOf(Payload), isAdapted))
  const [same] = results.filter(([differ]) => differ.length === 0)
  if (!same)
    throw new Unproved(
      `the page shows something else than the commit says: ${results[0]?.[0].join(', ')} ${results[0]?.[0].length === 1 ? 'is' : 'are'} different`
    )
  return { isOpen: true, added: same[1], hasWho }
}

const WHO = ['AccessorID', 'Address', 'RequestID', 'Command', 'Reason'] as const

const sameWho = (record: Fields, page: object): void => {
  for (const name of WHO) {
    const shown: unknown = Reflect.get(page, name)
    if (shown !== undefined && shown !== record[name])
      throw new Unproved(
        `the page says ${name} ${canonical(shown)}, and the commit ${canonical(record[name])}`
      )
  }
}
