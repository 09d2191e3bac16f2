// Plays a case file against servers that are no plain ones, such as one that follows, and finds what they answer otherwise.
import type { TestResponse } from '../support/client.js'
import { knownDifferences } from './known-differences.js'
import type { CaseFile, Profile, Transcript } from './case-file.js'
import { compare } from './compare.js'
import { playFile } from './play-file.js'
import { transcribe, type PlayedServer } from './player.js'

export interface Differing {
  /** What of an answer is compared. */
  readonly transcribed?: (answer: TestResponse) => Transcript
  /** Titles of cases that are not as recorded here for a reason, besides those of `awaited.ts`. */
  readonly except?: readonly string[]
}

/** The cases that were answered otherwise than recorded, each with what differs; empty when there are none. */
export const differingCases = async (
  file: CaseFile,
  start: (profile: Profile) => Promise<PlayedServer>,
  { transcribed = transcribe, except = [] }: Differing = {}
): Promise<string> => {
  const failed: string[] = []
  for await (const { played, answers } of playFile(file, start)) {
    const faults = compare(played.steps, answers.map(transcribed)).flatMap((list, at) =>
      list.map(fault => `  step ${at + 1}, ${played.steps[at]?.do}: ${fault}`)
    )
    const isExpected = [knownDifferences[file.area], except].some(titles => titles?.includes(played.title))
    if (faults.length > 0 && !isExpected) failed.push(`${played.title}\n${faults.join('\n')}`)
  }
  return failed.join('\n')
}
