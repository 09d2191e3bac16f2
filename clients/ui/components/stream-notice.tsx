// Says how many there are in a list, why it is empty, and whether it may not be what is true now.
import type { StreamState } from '../live/stream-state.js'
import { Refusal } from './refusal.js'

/** What a list holds, in singular and plural. */
export type StreamNoticeTexts = readonly [one: string, many: string]

interface Props {
  readonly state: StreamState
  readonly count: number
  /** Of those that are not searched for, too; `count` when absent. */
  readonly total?: number
  readonly what: StreamNoticeTexts
  /** Why only what the token may see is in it; absent where it may see all. */
  readonly refusal?: string | undefined
  /** What else is said of the list, in whole sentences. */
  readonly more?: string
}

const clock = (time: number): string => new Date(time).toLocaleTimeString()

const countOf = ({ count, total = count, what: [one, many] }: Props): string => {
  if (total === 0) return `no ${many} that this token may see`
  const words = `${total.toLocaleString('en')} ${total === 1 ? one : many}`
  return count === total ? words : `${count.toLocaleString('en')} of ${words}`
}

/** The count, as a sentence where there is another one or nothing. */
const told = (props: Props): string => {
  const { count, total = count, more = '' } = props
  if (total === 0) return `There are ${countOf(props)}. ${more}`.trim()
  return more === '' ? countOf(props) : `${countOf(props)}. ${more}`
}

export const StreamNotice = (props: Props) => {
  const { state, count, total = count, what, refusal } = props
  if (state === 'loading')
    return (
      <p role="status">
        Reading {what[1]} … {count > 0 && count.toLocaleString('en')}
      </p>
    )
  if (typeof state === 'string' && refusal !== undefined)
    return total === 0 ? (
      <Refusal text={refusal} />
    ) : (
      <p role="status" title={refusal}>
        {countOf(props)} that this token may see
      </p>
    )
  if (typeof state === 'string') return <p role="status">{told(props)}</p>
  if ('refused' in state) return <Refusal text={state.refused} />
  const { lost, since, wasLive } = state
  return (
    <p role="status" class="lost" title={lost}>
      <strong>No connection since {clock(since)}.</strong>{' '}
      {wasLive
        ? `What is shown may be old (${countOf(props)}). It goes on by itself when the server can be reached again.`
        : 'The server cannot be reached. It is tried again by itself.'}
    </p>
  )
}
