// Reads what a report shows without proof: denied attempts, used rights and last uses of tokens, which are beside the log.
import type { BundleSelection } from '../../../clients/evidence/bundle-lines.js'
import type { UnprovedLine } from '../../../clients/evidence/unproved-lines.js'
import { formatTime, parseTime } from '../../../events/time.js'
import { DenialFile } from '../../../http/audit/denial-file.js'
import { readDenialLine, type DenialLine } from '../../../http/audit/denied-attempt.js'
import { MINUTE_MS } from '../../../http/wire/token-use.js'
import { kindOf } from '../../../projections/acl/usage/question-counter.js'
import { readUsage } from '../../access-usage-files.js'
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

/** Yields the permissions that selected tokens used, one line for each day. */
async function* usedRights(dataDir: string, selection: BundleSelection): AsyncGenerator<UnprovedLine> {
  const { Namespace, FromTime = '', ToTime = '' } = selection
  const [from, to] = [parseTime(FromTime) ?? -Infinity, parseTime(ToTime) ?? Infinity]
  for await (const { subject, code, partition, namespace, segment, count, first, last } of readUsage(
    dataDir
  )) {
    const { accessor } = subject
    const kind = kindOf(code)
    if (accessor === undefined || !kind?.isAllowed || !isOf(accessor, selection)) continue
    if (Namespace !== undefined && namespace !== Namespace) continue
    if (last * MINUTE_MS < from || first * MINUTE_MS > to) continue
    yield {
      Kind: 'RightUse',
      AccessorID: accessor,
      Permission: `${kind.resource}:${kind.access}`,
      On: segment,
      Namespace: namespace,
      Partition: partition,
      Count: count,
      FirstUsed: formatTime(first * MINUTE_MS),
      LastUsed: formatTime(last * MINUTE_MS)
    }
  }
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
  yield* usedRights(dataDir, selection)
  if (Namespace !== undefined) return
  const since = FromTime === undefined ? 0 : (parseTime(FromTime) ?? 0)
  for (const [AccessorID, used] of await readTokenUses(dataDir))
    if (isOf(AccessorID, selection) && used >= since)
      yield { Kind: 'TokenUse', AccessorID, LastUsed: formatTime(used) }
}
