// What a request says of the history that it asks for.
import { invalid } from '../../actors/refusal.js'
import { firstValueOf, flag, integer } from '../stream/parameter-values.js'
import { present, unsigned64, type Query } from '../wire/query.js'

const USUAL = 10
const MOST = 1000

/** Which versions are asked for. */
export interface HistoryRequest {
  /** Versions of a page; those of one commit stay together. */
  readonly limit: number
  /** Only those before this index. */
  readonly before: number | undefined
  /** Only those behind this index, the oldest of them. */
  readonly after: number | undefined
  /** Whether each one tells its whole payload. */
  readonly payload: boolean
}

/** Its parameters, for the description of the API. */
export const HISTORY_QUERY = {
  limit: unsigned64(`How many versions a page has; ${USUAL} unless given, at most ${MOST}`),
  before: unsigned64(
    'Only versions before this index: the next older page begins behind the last one of this'
  ),
  after: unsigned64('Only versions behind this index, the oldest of them: the next newer page'),
  payload: present('Each version tells its whole payload, too')
}

/** @throws Refusal `invalid` that names the parameter and the rule */
export const parseHistoryRequest = (query: Query): HistoryRequest => {
  const numberIn = (name: string): number | undefined => {
    const text = firstValueOf(query, name)
    return text === undefined ? undefined : integer(text, name)
  }
  const limit = numberIn('limit') ?? USUAL
  if (limit < 1 || limit > MOST) throw invalid(`Invalid limit: ${limit} is not from 1 to ${MOST}`)
  const [before, after] = [numberIn('before'), numberIn('after')]
  if (before !== undefined && after !== undefined)
    throw invalid('Invalid after: before and after cannot both be given: a page lies on one side of an index')
  return { limit, before, after, payload: flag(query, 'payload') }
}
