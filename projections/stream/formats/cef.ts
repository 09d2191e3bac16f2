// Events as lines of the Common Event Format, version 0.
import { isIPv4 } from 'node:net'
import { programVersion } from '../../../events/version.js'
import { eventId, type FormattedEvent } from './formatted-event.js'

const LOW = 1

/** Line ends cannot be escaped in the header. */
const inHeader = (text: string): string => text.replaceAll(/[\\|]/g, '\\$&').replaceAll(/[\r\n]+/g, ' ')

const inExtension = (text: string): string =>
  text.replaceAll(/[\\=]/g, '\\$&').replaceAll('\r', '\\r').replaceAll('\n', '\\n')

const sourceOf = (address: string): readonly (readonly [string, string])[] => {
  if (address === '') return []
  if (isIPv4(address)) return [['src', address]]
  return [
    ['c6a2', address],
    ['c6a2Label', 'Source IPv6 Address']
  ]
}

let version: string | undefined

/** Returns the event without its payload. Custom strings are topic, key, namespace and partition. */
export const cefLine = (formatted: FormattedEvent): string => {
  const { by, event, index, time } = formatted
  const header = [
    'CEF:0',
    'Annals',
    'Annals',
    (version ??= programVersion()),
    event.Type,
    by.Command || event.Type
  ]
  const custom = [
    ['Topic', event.Topic],
    ['Key', event.Key],
    ['Namespace', event.Namespace],
    ['Partition', event.Partition]
  ] as const
  const extension: readonly (readonly [string, string])[] = [
    ['rt', String(Date.parse(time))],
    ['externalId', eventId(formatted)],
    ['cn1', String(index)],
    ['cn1Label', 'Index'],
    ['act', event.Type],
    ['outcome', 'success'],
    ['suid', by.AccessorID],
    ...sourceOf(by.Address),
    ['reason', by.Reason ?? ''],
    ...custom.flatMap(([label, value], i): readonly (readonly [string, string])[] =>
      value === ''
        ? []
        : [
            [`cs${i + 1}`, value],
            [`cs${i + 1}Label`, label]
          ]
    )
  ]
  const fields = extension
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${inExtension(value)}`)
  return `${[...header.map((text, i) => (i === 0 ? text : inHeader(text))), LOW].join('|')}|${fields.join(' ')}`
}
