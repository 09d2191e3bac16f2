// The commits that a bundle of evidence selects, and what of them it discloses.
import type { Origin, StoredHead } from '../../events/envelope.js'
import type { OpenedLeaf } from '../../events/log/evidence/open-leaf.js'
import type { BundledCommit, BundleSelection } from './bundle-lines.js'

type SelectedHead = Pick<StoredHead, 'Topic' | 'Key' | 'Namespace'>

export const isFiltered = ({ Topic, Key, Accessor, Namespace }: BundleSelection): boolean =>
  [Topic, Key, Accessor, Namespace].some(filter => filter !== undefined)

/** Returns true for a selection without gaps between its first and last commit. */
export const isGapless = (selection: BundleSelection): boolean =>
  selection.Complete === true || !isFiltered(selection)

/** Returns true for a bundle of all commits, which determine the root and need no proofs. */
export const isWhole = (selection: BundleSelection, size: number): boolean =>
  isGapless(selection) && selection.From === 1 && selection.To === size

/** Returns the positions of the selected events of a commit; undefined if it is not selected. Letter case of topics and accessors is ignored. */
export function selectedEvents(
  { Topic, Key, Accessor, Namespace }: BundleSelection,
  { AccessorID }: Pick<Origin, 'AccessorID'>,
  heads: readonly SelectedHead[]
): ReadonlySet<number> | undefined {
  if (Accessor !== undefined && AccessorID.toLowerCase() !== Accessor.toLowerCase()) return undefined
  const positions = new Set<number>()
  for (const [position, head] of heads.entries())
    if (
      (Topic === undefined || head.Topic.toLowerCase() === Topic.toLowerCase()) &&
      (Key === undefined || head.Key === Key) &&
      (Namespace === undefined || head.Namespace === Namespace)
    )
      positions.add(position)
  return positions.size > 0 ? positions : undefined
}

/** Returns why a line does not prove whether its commit is selected, or withholds selected parts, as a clause; undefined if it does neither. */
export function withholdingIn(
  selection: BundleSelection,
  { Parts }: Pick<BundledCommit, 'Parts'>,
  { commit }: OpenedLeaf
): string | undefined {
  const isWithheld = (kind: string): boolean =>
    Parts.some(({ Kind, Withheld }) => Kind === kind && Withheld === true)
  if (isWithheld('Head')) return 'it withholds the head of an event'
  if (isWithheld('Who')) return 'it withholds its author'
  const events = selectedEvents(selection, commit.By, commit.Events)
  let event = -1
  for (const { Kind, Withheld } of Parts) {
    if (Kind === 'Head') event++
    if (Kind === 'Payload' && Withheld && events?.has(event)) return 'it is selected, and withholds a payload'
  }
  return undefined
}
