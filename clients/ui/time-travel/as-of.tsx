// The pages as of the moment in the address: with a bar above them that says which it is and leads to others, and none where that is now.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Heading } from '../components/heading.js'
import { Refusal } from '../components/refusal.js'
import { client } from '../session/session.js'
import { useAction } from '../session/use-action.js'
import { addressAsOf, indexIn, asOfIndex, type PointInTime } from './as-of-state.js'
import { sectionPages } from '../sections.js'
import { useResponse } from '../session/use-response.js'
import { READ_ONLY } from './read-only.js'

/** Says as of which commit the pages are shown, and leads to others: by the slider over all of them, step by step, or by the time. */
const SECONDS = 19
const MS_OF_MINUTE = 60_000

/** A time as a field for dates and times has it, by the clock of this machine. */
const fieldOf = (time: string): string => {
  const date = new Date(time)
  return new Date(date.getTime() - date.getTimezoneOffset() * MS_OF_MINUTE).toISOString().slice(0, SECONDS)
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
  const [chosen, choose] = useState(at)
  useEffect(() => choose(at), [at])
  const go = (to: number | string | undefined): void => route(addressAsOf(url, to), true)
  const place = sectionPages.find(each => each.path === path)
  const isOfNow = place !== undefined && !place.kind && !place.hasPast
  const { Oldest = at, Newest = at } = value ?? {}
  return (
    <section class="moment" aria-label="As it was">
      <strong>
        As it was behind commit {chosen}
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
          value={chosen}
          onInput={({ currentTarget }) => choose(currentTarget.valueAsNumber)}
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
        Now
      </button>
      <span class="moment-note">{isOfNow ? 'This page has no past: it shows what is now.' : READ_ONLY}</span>
      <Refusal text={failure} />
    </section>
  )
}

const momentAt = async (at?: string): Promise<PointInTime> => {
  const answer = await client.value.connection.request('GET', '/v1/event/moment', { query: { at } })
  return answer.json<PointInTime>()
}

/** Goes on to the commit that a time stands for. */
const Seeking = ({ at }: { readonly at: string }) => {
  const { url, route } = useLocation()
  const { failure, run } = useAction()
  useEffect(() => run(async () => route(addressAsOf(url, (await momentAt(at)).Index), true)), [at])
  return (
    <main>
      <Heading>{`As it was at ${at}`}</Heading>
      {failure === undefined && <p role="status">Looking for the newest commit of then …</p>}
      <Refusal text={failure} />
      <p>
        <button type="button" onClick={() => route(addressAsOf(url, undefined), true)}>
          Now
        </button>
      </p>
    </main>
  )
}

/** @param children what shows things: it is there once the moment is known */
export const AsOf = ({ children }: { readonly children: ComponentChildren }) => {
  const { at } = useLocation().query
  const index = indexIn(at)
  if (asOfIndex.peek() !== index) asOfIndex.value = index
  if (at !== undefined && index === undefined) return <Seeking at={at} />
  return (
    <>
      {index !== undefined && <TimeTravelBar at={index} />}
      {children}
    </>
  )
}

/** Begins to look back, from the newest commit on; nothing where the past is looked at already. */
export const StartTimeTravel = () => {
  const { url, route } = useLocation()
  const { failure, run } = useAction()
  if (asOfIndex.value !== undefined) return null
  return (
    <>
      <button
        type="button"
        onClick={() => run(async () => route(addressAsOf(url, (await momentAt()).Newest)))}
        title="Shows all pages as of an earlier commit"
      >
        As it was …
      </button>
      <Refusal text={failure} />
    </>
  )
}
