// Whether requests may be sent to the server, and why not.
import { useEffect, useState } from 'preact/hooks'
import { RequestRefused } from '../../../typescript/failures.js'
import { Badge } from '../../parts/badge.js'
import { client } from '../../session/session.js'
import { failureOf } from '../../session/failure.js'
import type { Asked } from '../../session/use-answer.js'
import { usePagePulse } from './pulse.js'

interface Shown {
  readonly Ready: boolean
  readonly Log: string
  readonly ReadModels: string
  readonly Leader: string
  readonly Ending: boolean
}

const NOT_READY = 503

/** An answer that says no is an answer. */
const toldBy = (error: unknown): Asked<Shown> => {
  if (!(error instanceof RequestRefused) || error.status !== NOT_READY) return { failure: failureOf(error) }
  const value: Shown = JSON.parse(error.text)
  return { value }
}

const useReadiness = (): Asked<Shown> => {
  const { turn } = usePagePulse()
  const [asked, setAsked] = useState<Asked<Shown>>({})
  useEffect(() => {
    const ended = new AbortController()
    client
      .peek()
      .connection.with({ retries: 0 })
      .request('GET', '/readyz', { signal: ended.signal })
      .then(answer => answer.json<Shown>())
      .then(
        value => setAsked({ value }),
        (error: unknown) => {
          if (!ended.signal.aborted) setAsked(toldBy(error))
        }
      )
    return () => ended.abort()
  }, [turn])
  return asked
}

const whyNot = ({ Log, ReadModels, Leader, Ending }: Shown): string =>
  [
    Log === 'writable' ? '' : `the log is ${Log}`,
    ReadModels === 'current' ? '' : `the read models are ${ReadModels}`,
    Leader === 'known' ? '' : `the leader is ${Leader}`,
    Ending ? 'it is ending' : ''
  ]
    .filter(text => text !== '')
    .join(', ')

export const Readiness = () => {
  const { value, failure } = useReadiness()
  if (failure !== undefined) return <Badge tone="bad">{failure}</Badge>
  if (!value) return <>…</>
  const why = whyNot(value)
  return (
    <>
      <Badge tone={value.Ready ? (why === '' ? 'good' : 'warn') : 'bad'}>
        {value.Ready ? 'ready' : 'not ready'}
      </Badge>{' '}
      {why}
    </>
  )
}
