// The pages as of the moment in the address: with a bar above them that says which it is and leads to others, and none where that is now.
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Heading } from '../parts/heading.js'
import { Refusal } from '../parts/refusal.js'
import { client } from '../session/session.js'
import { useDeed } from '../session/use-deed.js'
import { addressAt, indexIn, moment, type Moment } from './moment.js'
import { MomentBar } from './moment-bar.js'

const momentAt = async (at?: string): Promise<Moment> => {
  const answer = await client.value.connection.request('GET', '/v1/event/moment', { query: { at } })
  return answer.json<Moment>()
}

/** Goes on to the commit that a time stands for. */
const Seeking = ({ at }: { readonly at: string }) => {
  const { url, route } = useLocation()
  const { failure, run } = useDeed()
  useEffect(() => run(async () => route(addressAt(url, (await momentAt(at)).Index), true)), [at])
  return (
    <main>
      <Heading>{`As it was at ${at}`}</Heading>
      {failure === undefined && <p role="status">Looking for the newest commit of then …</p>}
      <Refusal text={failure} />
      <p>
        <button type="button" onClick={() => route(addressAt(url, undefined), true)}>
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
  if (moment.peek() !== index) moment.value = index
  if (at !== undefined && index === undefined) return <Seeking at={at} />
  return (
    <>
      {index !== undefined && <MomentBar at={index} />}
      {children}
    </>
  )
}

/** Begins to look back, from the newest commit on; nothing where the past is looked at already. */
export const LookBack = () => {
  const { url, route } = useLocation()
  const { failure, run } = useDeed()
  if (moment.value !== undefined) return null
  return (
    <>
      <button
        type="button"
        onClick={() => run(async () => route(addressAt(url, (await momentAt()).Newest)))}
        title="Shows all pages as of an earlier commit"
      >
        As it was …
      </button>
      <Refusal text={failure} />
    </>
  )
}
