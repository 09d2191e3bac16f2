// Reads what a report shows without proof: denied attempts and last uses of tokens, which are beside the log.
import type { BundleSelection } from '../../../clients/evidence/bundle-lines.js'
import type { UnprovedLine } from '../../../clients/evidence/unproved-lines.js'
import { formatTime, parseTime } from '../../../events/time.js'
import { DenialFile } from '../../../http/audit/denial-file.js'
import { readDenialLine, type DenialLine } from '../../../http/audit/denied-attempt.js'
import { readTokenUses } from '../../token-use-file.js'

const isOf = (accessor: string | undefined, { Accessor }: BundleSelection): boolean =>
  Accessor === undefined || accessor?.toLowerCase() === Accessor.toLowerCase()

const isWithin = (
  { Time, AfterIndex }: DenialLine,
  { From, To, FromTime, ToTime }: BundleSelection
): boolean => {
  const time = parseTime(Time) ?? NaN
  const begins = FromTime === undefined ? AfterIndex >= From - 1 : time >= (parseTime(FromTime) ?? NaN)
  return begins && (ToTime === undefined ? AfterIndex <= To : time <= (parseTime(ToTime) ?? NaN))
}

/** Yields the lines that match a selection. Attempts name no topic, so a selection by topic or key has none. */
export async function* unprovedLines(
  dataDir: string,
  selection: BundleSelection
): AsyncGenerator<UnprovedLine> {
  const { Topic, Key, Namespace, FromTime } = selection
  if (Topic !== undefined || Key !== undefined) return
  for await (const text of new DenialFile(dataDir).lines()) {
    const line = readDenialLine(text)
    if (!line || !isWithin(line, selection)) continue
    const isSelected =
      isOf(line.AccessorID, selection) && (Namespace === undefined || line.Namespace === Namespace)
    if (isSelected || line.LeftOut !== undefined) yield { Kind: 'Denied', ...line }
  }
  if (Namespace !== undefined) return
  const since = FromTime === undefined ? 0 : (parseTime(FromTime) ?? 0)
  for (const [AccessorID, used] of await readTokenUses(dataDir))
    if (isOf(AccessorID, selection) && used >= since)
      yield { Kind: 'TokenUse', AccessorID, LastUsed: formatTime(used) }
}
