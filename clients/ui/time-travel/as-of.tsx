import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { History } from 'lucide'
import { Button, Dialog, Heading, Refusal, SubmitForm, SubmitButton } from '../design/index.js'
import { readJson } from '../session/session.js'
import { useAction, useResponse } from '../session/use-response.js'
import { addressAsOf, indexIn, asOfIndex, MOMENT, type PointInTime, pointInTimeIn } from './as-of-state.js'
import { sectionPages } from '../sections.js'
import { READ_ONLY } from './read-only.js'

/** Formats a time for a `datetime-local` field, in the zone of the browser. Swedish times have the format of ISO 8601. */
const fieldOf = (time: Date): string => time.toLocaleString('sv').slice(0, 'yyyy-mm-dd hh:mm'.length)

interface WhenProps {
  readonly time?: string | undefined
  readonly go: (at: number | string) => void
}

/** Accepts a relative time, a commit number, or a date of a calendar. */
const When = ({ time, go }: WhenProps) => {
  const [fault, setFault] = useState<string>()
  const submit = (data: FormData): void => {
    const text = data.get('when')
    const at = typeof text === 'string' ? pointInTimeIn(text, Date.now()) : undefined
    setFault(
      at === undefined ? 'Enter a time such as 2h ago or yesterday 14:00, or a commit number.' : undefined
    )
    if (at !== undefined) go(at)
  }
  return (
    <SubmitForm submit={submit} failure={fault} class="choices when">
      <input
        name="when"
        aria-label="Time or commit"
        placeholder="2h ago, yesterday 14:00, 1014"
        aria-invalid={fault !== undefined}
        autocomplete="off"
        spellcheck={false}
      />
      <input
        type="datetime-local"
        aria-label="Date and time"
        value={fieldOf(time === undefined ? new Date() : new Date(time))}
        max={fieldOf(new Date())}
        onChange={({ currentTarget }) => {
          if (currentTarget.value !== '') go(new Date(currentTarget.value).toISOString())
        }}
      />
      <SubmitButton label="Go" />
    </SubmitForm>
  )
}

const TimeTravelBar = ({ at }: { readonly at: number }) => {
  const { url, path, route } = useLocation()
  const { value, failure } = useResponse<PointInTime>(MOMENT, { at })
  const range = useRef<PointInTime>(undefined)
  if (value) range.current = value
  const [position, setPosition] = useState(at)
  useEffect(() => setPosition(at), [at])
  const go = (to: number | string | undefined): void => route(addressAsOf(url, to), true)
  const page = sectionPages.find(candidate => candidate.path === path)
  const isOfNow = page !== undefined && !page.kind && !page.hasPast
  const { Oldest = at, Newest = at } = range.current ?? {}
  return (
    <section class="moment" aria-label="Time travel">
      <strong>
        State after commit {position}
        {range.current && ` of ${Newest}`}
      </strong>
      <span class="moment-steps">
        <Button label="‹" act={() => go(at - 1)} aria-label="One commit back" disabled={at <= Oldest} />
        <input
          type="range"
          aria-label="Commit"
          min={Oldest}
          max={Newest}
          value={position}
          onInput={({ currentTarget }) => setPosition(currentTarget.valueAsNumber)}
          onChange={({ currentTarget }) => go(currentTarget.valueAsNumber)}
        />
        <Button label="›" act={() => go(at + 1)} aria-label="One commit forward" disabled={at >= Newest} />
      </span>
      <When key={value?.Time} time={value?.Time} go={go} />
      <Button label="Return to now" act={() => go(undefined)} />
      <span class="moment-note">{isOfNow ? 'This page always shows the current state.' : READ_ONLY}</span>
      <Refusal text={failure} />
    </section>
  )
}

/** Redirects to the commit of a time. */
const TimeRedirect = ({ at }: { readonly at: string }) => {
  const { url, route } = useLocation()
  const { value, failure } = useResponse<PointInTime>(MOMENT, { at })
  useEffect(() => {
    if (value) route(addressAsOf(url, value.Index), true)
  }, [value])
  return (
    <main>
      <Heading>{`Time travel to ${at}`}</Heading>
      {failure === undefined && <p role="status">Finding the newest commit at that time …</p>}
      <Refusal text={failure} />
      <When go={to => route(addressAsOf(url, to), true)} />
      <p>
        <Button label="Return to now" act={() => route(addressAsOf(url, undefined), true)} />
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

/** Asks for the point in time; renders nothing during time travel. */
export const StartTimeTravel = () => {
  const { url, route } = useLocation()
  const [isOpen, setIsOpen] = useState(false)
  const { failure, run } = useAction([isOpen, url])
  if (asOfIndex.value !== undefined) return null
  const go = (at: number | string): void => {
    setIsOpen(false)
    route(addressAsOf(url, at))
  }
  return (
    <>
      <Button
        label="Time travel"
        icon={History}
        act={() => setIsOpen(true)}
        class="travel"
        title="Shows all pages as of an earlier time"
      />
      <Dialog title="Time travel" isOpen={isOpen} close={() => setIsOpen(false)}>
        <p>Shows all pages as of an earlier time or commit. Nothing can be changed there.</p>
        <When go={go} />
        <Refusal text={failure} />
        <footer>
          <Button
            label="Newest commit"
            act={() => run(async signal => go((await readJson<PointInTime>(MOMENT, { signal })).Newest))}
          />
        </footer>
      </Dialog>
    </>
  )
}
