// The server's own log, as it is written: what it says of itself, from a level on.
import { useEffect, useState } from 'preact/hooks'
import { Refusal } from '../../components/notice.js'
import { client } from '../../session/session.js'
import { messageOf } from '../../../../events/errors.js'
import { Section } from './section.js'

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const
/** Older lines go. */
const MOST = 500

/** Takes lines of a text as they come, until it ends. */
const takeLines = async (
  body: ReadableStream<Uint8Array>,
  take: (lines: readonly string[]) => void
): Promise<void> => {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let begun = ''
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const lines = (begun + decoder.decode(read.value, { stream: true })).split('\n')
    begun = lines.pop() ?? ''
    take(lines)
  }
}

export const ServerLog = () => {
  const [level, setLevel] = useState<string>('info')
  const [lines, setLines] = useState<readonly string[]>([])
  const [failure, setFailure] = useState<string>()
  const asking = client.value
  useEffect(() => {
    const ended = new AbortController()
    setLines([])
    setFailure(undefined)
    const follow = async (): Promise<void> => {
      const sending = { query: { loglevel: level }, signal: ended.signal }
      const { body } = await asking.connection.request('GET', '/v1/agent/monitor', sending)
      if (body) await takeLines(body, more => setLines(before => [...before, ...more].slice(-MOST)))
      setFailure('The server has ended.')
    }
    follow().catch((error: unknown) => {
      if (!ended.signal.aborted) setFailure(messageOf(error))
    })
    return () => ended.abort()
  }, [asking, level])
  return (
    <Section title="Messages">
      <p class="choices">
        <label>
          From level{' '}
          <select value={level} onChange={({ currentTarget }) => setLevel(currentTarget.value)}>
            {LEVELS.map(each => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <span role="status">
          {lines.length === 0 ? 'Nothing was said since this was opened.' : `The last ${lines.length} lines`}
        </span>
      </p>
      <Refusal text={failure} />
      {lines.length > 0 && (
        <pre class="payload" tabIndex={0} aria-label="Messages of the server">
          {lines.join('\n')}
        </pre>
      )}
    </Section>
  )
}
