// One thing: what it is now, and each version of it with who made it and what it changed.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { useStream } from '../live/use-stream.js'
import { client } from '../session/session.js'
import { titleOf, type Kind } from '../things/kinds.js'

interface Change {
  readonly op: string
  readonly path: string
  readonly value?: unknown
}

/** A version, as the history tells it. */
interface Version {
  readonly Index: number
  readonly Time: string
  readonly Type: string
  readonly By?: {
    readonly AccessorID: string
    readonly TokenName?: string
    readonly Address: string
    readonly Command: string
    readonly Reason?: string
  }
  readonly Patch: readonly Change[]
  readonly Payload?: Readonly<Record<string, unknown>>
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)

const Changes = ({ patch }: { readonly patch: readonly Change[] }) => (
  <table class="changes">
    <tbody>
      {patch.map(({ op, path, value }) => (
        <tr key={`${op} ${path}`}>
          <td class={`op ${op}`}>{op}</td>
          <td>{path || '/'}</td>
          <td>
            <pre>{value === undefined ? '' : shown(value)}</pre>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

const VersionRow = ({ version }: { readonly version: Version }) => {
  const { Index, Time, Type, By, Patch } = version
  return (
    <details>
      <summary>
        <span class="index">{Index}</span> <time dateTime={Time}>{new Date(Time).toLocaleString()}</time>{' '}
        <b>{Type}</b>{' '}
        {By && (
          <>
            by {By.TokenName || By.AccessorID} from {By.Address}
            {By.Reason && <q>{By.Reason}</q>}
          </>
        )}
      </summary>
      <Changes patch={Patch} />
    </details>
  )
}

export const ThingPage = ({ kind }: { readonly kind: Kind }) => {
  const { query } = useLocation()
  const { key = '', ns = '', partition = '' } = query
  const [versions, setVersions] = useState<readonly Version[]>()
  const [failure, setFailure] = useState<string>()
  const [turn, setTurn] = useState(0)
  const happens = useMemo(
    () => ({ topics: [`${kind.topic}:${key}`], index: 'now', namespace: '*' }) as const,
    [kind, key]
  )
  useStream(happens, messages => {
    if (messages.some(({ Events }) => Events.length > 0)) setTurn(before => before + 1)
  })
  const asking = client.value
  useEffect(() => {
    const ended = new AbortController()
    const sent = {
      topic: kind.topic,
      key,
      ns: ns || undefined,
      partition: partition || undefined,
      payload: true
    }
    asking.connection
      .request('GET', '/v1/event/history', { query: sent, signal: ended.signal })
      .then(answer => answer.json<readonly Version[]>())
      .then(setVersions, (error: unknown) => {
        if (!ended.signal.aborted) setFailure(error instanceof Error ? error.message : String(error))
      })
    return () => ended.abort()
  }, [asking, kind, key, ns, partition, turn])
  const newest = versions?.[0]
  return (
    <main class="thing">
      <nav aria-label="Path">
        <a href={`/ui/${kind.path}`}>{kind.title}</a>
      </nav>
      <h1>{newest?.Payload ? titleOf(kind, newest.Payload) : key}</h1>
      {failure && (
        <p role="alert" class="refused">
          {failure}
        </p>
      )}
      {newest && <pre class="payload">{shown(newest.Payload)}</pre>}
      <h2>History</h2>
      {versions?.map(version => (
        <VersionRow key={version.Index} version={version} />
      ))}
    </main>
  )
}
