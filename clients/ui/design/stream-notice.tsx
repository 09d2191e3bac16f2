// The size of a list, the reason why it is empty, and a warning when it may be stale.
import type { StreamState } from '../live/stream-state.js'
import { Refusal, Restricted } from './notice.js'

/** The name of a row in singular and plural. */
type StreamNoticeTexts = readonly [one: string, many: string]

interface Props {
  readonly state: StreamState
  readonly count: number
  /** Number of rows without the search; `count` when absent. */
  readonly total?: number
  readonly what: StreamNoticeTexts
  /** What the rows are for, for an empty list. */
  readonly about?: string | undefined
  /** Why the list is restricted to what the token may read; absent when the token may read all. */
  readonly refusal?: string | undefined
  /** As that of `Restricted`; absent for a list that is never restricted. */
  readonly permission?: string
  /** Further information, in whole sentences. */
  readonly more?: string
}

const clock = (time: number): string => new Date(time).toLocaleTimeString()

const countOf = ({ count, total = count, what: [one, many] }: Props): string => {
  if (total === 0) return `no ${many} visible to this token`
  const counted = `${total.toLocaleString('en')} ${total === 1 ? one : many}`
  return count === total ? counted : `${count.toLocaleString('en')} of ${counted}`
}

/** Returns the count, as a sentence if another one follows or the list is empty. */
const summaryOf = (props: Props): string => {
  const { count, total = count, more = '' } = props
  if (total === 0) return `There are ${countOf(props)}. ${more}`.trim()
  return more === '' ? countOf(props) : `${countOf(props)}. ${more}`
}

const Empty = ({ text, about }: { readonly text: string; readonly about: string | undefined }) => (
  <div class="empty">
    <p role="status">{text}</p>
    {about && <p class="quiet">{about}</p>}
  </div>
)

export const StreamNotice = (props: Props) => {
  const { state, count, total = count, what, about, refusal, permission = '' } = props
  if (state === 'loading')
    return (
      <p role="status">
        Loading {what[1]} … {count > 0 && count.toLocaleString('en')}
      </p>
    )
  if (typeof state === 'string' && refusal !== undefined)
    return (
      <>
        {total === 0 ? (
          <Empty text={summaryOf(props)} about={about} />
        ) : (
          <p role="status" title={refusal}>
            {countOf(props)} visible to this token
          </p>
        )}
        <Restricted refusal={refusal} permission={permission} />
      </>
    )
  if (typeof state === 'string' && total === 0) return <Empty text={summaryOf(props)} about={about} />
  if (typeof state === 'string') return <p role="status">{summaryOf(props)}</p>
  if ('refused' in state) return <Refusal text={state.refused} />
  const { lost, since, wasLive } = state
  return (
    <p role="status" class="lost" title={lost}>
      <strong>No connection since {clock(since)}.</strong>{' '}
      {wasLive
        ? `The data may be stale (${countOf(props)}). Updates resume when the server is reachable.`
        : 'The server is unreachable. Retrying automatically.'}
    </p>
  )
}
