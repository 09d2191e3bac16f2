import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Heading } from '../components/heading.js'
import { Refusal } from '../components/notice.js'
import { client } from '../session/session.js'
import { useAction } from '../session/use-action.js'
import { addressAsOf, indexIn, asOfIndex, type PointInTime } from './as-of-state.js'
import { sectionPages } from '../sections.js'
import { useResponse } from '../session/use-response.js'
import { READ_ONLY } from './read-only.js'

/** Length of a date and time in ISO 8601 with seconds, without a zone. */
const TO_SECONDS = 19
const MS_OF_MINUTE = 60_000

/** Formats a time for a `datetime-local` field, in the zone of the browser. */
const fieldOf = (time: string): string => {
  const date = new Date(time)
  return new Date(date.getTime() - date.getTimezoneOffset() * MS_OF_MINUTE).toISOString().slice(0, TO_SECONDS)
}

const Time = ({ time, go }: { readonly time: string; readonly go: (at: string) => void }) => {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const chosen = new FormData(event.currentTarget).get('time')
    if (typeof chosen === 'string' && chosen !== '') go(new Date(chosen).toISOString())
  }
  return (
    <form onSubmit={submit}>
      <input type="datetime-local" name="time" step={1} aria-label="Time" value={fieldOf(time)} />
      <button type="submit">Go</button>
    </form>
  )
}

const TimeTravelBar = ({ at }: { readonly at: number }) => {
  const { url, path, route } = useLocation()
  const { value, failure } = useResponse<PointInTime>('/v1/event/moment', { at })
  const [position, setPosition] = useState(at)
  useEffect(() => setPosition(at), [at])
  const go = (to: number | string | undefined): void => route(addressAsOf(url, to), true)
  const page = sectionPages.find(candidate => candidate.path === path)
  const isOfNow = page !== undefined && !page.kind && !page.hasPast
  const { Oldest = at, Newest = at } = value ?? {}
  return (
    <section class="moment" aria-label="Time travel">
      <strong>
        State after commit {position}
        {value && ` of ${Newest}`}
      </strong>
      <span class="moment-steps">
        <button type="button" aria-label="One commit back" disabled={at <= Oldest} onClick={() => go(at - 1)}>
          ‹
        </button>
        <input
          type="range"
          aria-label="Commit"
          min={Oldest}
          max={Newest}
          value={position}
          onInput={({ currentTarget }) => setPosition(currentTarget.valueAsNumber)}
          onChange={({ currentTarget }) => go(currentTarget.valueAsNumber)}
        />
        <button
          type="button"
          aria-label="One commit forward"
          disabled={at >= Newest}
          onClick={() => go(at + 1)}
        >
          ›
        </button>
      </span>
      {value && <Time key={value.Time} time={value.Time} go={go} />}
      <button type="button" onClick={() => go(undefined)}>
        Return to now
      </button>
      <span class="moment-note">{isOfNow ? 'This page always shows the current state.' : READ_ONLY}</span>
      <Refusal text={failure} />
    </section>
  )
}

const pointInTimeAt = async (at?: string): Promise<PointInTime> => {
  const response = await client.value.connection.request('GET', '/v1/event/moment', { query: { at } })
  return response.json<PointInTime>()
}

/** Redirects to the commit of a time. */
const TimeRedirect = ({ at }: { readonly at: string }) => {
  const { url, route } = useLocation()
  const { failure, run } = useAction()
  useEffect(() => run(async () => route(addressAsOf(url, (await pointInTimeAt(at)).Index), true)), [at])
  return (
    <main>
      <Heading>{`Time travel to ${at}`}</Heading>
      {failure === undefined && <p role="status">Finding the newest commit at that time …</p>}
      <Refusal text={failure} />
      <p>
        <button type="button" onClick={() => route(addressAsOf(url, undefined), true)}>
          Return to now
        </button>
      </p>
    </main>
  )
}

/** Renders its children once the point in time is known. */
export const AsOf = ({ children }: { readonly children: ComponentChildren }) => {
  const { at } = useLocation().query
  const index = indexIn(at)
  if (asOfIndex.peek() !== index) asOfIndex.value = index
  if (at !== undefined && index === undefined) return <TimeRedirect at={at} />
  return (
    <>
      {index !== undefined && <TimeTravelBar at={index} />}
      {children}
    </>
  )
}

/** Starts time travel at the newest commit; renders nothing during time travel. */
export const StartTimeTravel = () => {
  const { url, route } = useLocation()
  const { failure, run } = useAction()
  if (asOfIndex.value !== undefined) return null
  return (
    <>
      <button
        type="button"
        onClick={() => run(async () => route(addressAsOf(url, (await pointInTimeAt()).Newest)))}
        title="Shows all pages as of an earlier commit"
      >
        Time travel
      </button>
      <Refusal text={failure} />
    </>
  )
}
