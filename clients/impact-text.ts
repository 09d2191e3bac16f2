// Parts of an impact, as the command line and the web UI show them.
import type { Schemas } from './typescript/typed/index.js'

type Recorded = Schemas['Impact']['Recorded']

/** Returns the number of recorded questions by answer, and what the record lacks; undefined without recording. */
export const recordedText = (recorded: Recorded): string | undefined => {
  const { Since, Gaps, Lost, NotHeard, Kept, Denied, Allowed, Unknown } = recorded
  const lacks = [
    ...(Gaps > 0 ? [Gaps === 1 ? 'a pause' : `${Gaps} pauses`] : []),
    ...(Lost > 0
      ? [Lost === 1 ? 'a question that found no room' : `${Lost} questions that found no room`]
      : []),
    ...(NotHeard.length > 0 ? [`the records of ${NotHeard.join(', ')}`] : [])
  ]
  if (Since === undefined && lacks.length === 0) return undefined
  const since = Since === undefined ? '' : ` since ${Since}`
  const counts = `${Denied} denied, ${Unknown} unknown, ${Allowed} allowed, ${Kept} kept`
  return `Recorded questions${since}: ${counts}${lacks.length === 0 ? '' : `. Not included: ${lacks.join(', ')}`}`
}

/** Returns where an effect counts. @param compared the datacenters that were compared one by one */
export const datacenterText = (name: string, compared: readonly string[]): string =>
  name === '*' ? `all datacenters except ${compared.join(', ')}` : `datacenter ${name}`
