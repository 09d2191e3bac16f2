// What a verified bundle proves, and what it does not, as sentences.
import type { BundleReport } from './check-bundle.js'
import { isGapless, isWhole } from './selection.js'

export interface Findings {
  readonly proved: readonly string[]
  readonly open: readonly string[]
}

interface Trust {
  /** Who signed the checkpoint in the bundle, as a clause. */
  readonly signers: string
  /** The checkpoint has the cosignature of a trusted witness. */
  readonly isWitnessed: boolean
  /** Trusted earlier checkpoints: a clause about each. */
  readonly earlier: readonly string[]
}

const completenessOf = ({ selection, isComplete, unknownAuthors, tree }: BundleReport): Findings => {
  const proved = (text: string): Findings => ({ proved: [text], open: [] })
  const open = (text: string): Findings => ({ proved: [], open: [text] })
  if (!isGapless(selection))
    return open('whether other commits are about it is not proved: a bundle with --complete proves that')
  if (unknownAuthors > 0)
    return open(
      `${unknownAuthors === 1 ? '1 commit has' : `${unknownAuthors} commits have`} an erased author: whether each is selected is not proved`
    )
  if (isWhole(selection, tree.size)) return proved('these are all its commits')
  const { From, To, FromTime = `commit ${From}`, ToTime = `commit ${To}` } = selection
  return isComplete
    ? proved(`from ${FromTime} to ${ToTime} none is missing`)
    : open(`whether one from ${FromTime} to ${ToTime} is missing is not proved`)
}

/** Returns the findings about a verified bundle. */
export const findingsOf = (report: BundleReport, { signers, isWitnessed, earlier }: Trust): Findings => {
  const { commits, withheld, erased, tree } = report
  const completeness = completenessOf(report)
  const closed = [
    ...(erased > 0 ? [`${erased} parts were erased`] : []),
    ...(withheld > 0 ? [`${withheld} parts are kept back`] : [])
  ]
  return {
    proved: [
      `the checkpoint in the bundle, of ${tree.size} commits, is ${signers}`,
      `${commits === 1 ? '1 commit is' : `${commits} commits are`} in that log as written here`,
      ...completeness.proved,
      ...earlier.map(each => `the log still begins with ${each}`)
    ],
    open: [
      ...completeness.open,
      ...(closed.length > 0 ? [`${closed.join(', ')}: of these the log has the hash`] : []),
      ...(earlier.length > 0 || isWitnessed
        ? []
        : [
            'no older checkpoint and no witness to compare with: a rewrite with the signing key cannot be ruled out'
          ])
    ]
  }
}
