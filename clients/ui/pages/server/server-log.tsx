import { useState } from 'preact/hooks'
import { Refusal, Section, Select } from '../../design/index.js'
import { client } from '../../session/session.js'
import { messageOf } from '../../../../events/errors.js'
import { useTask } from '../use-task.js'

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const
const MAX_LINES = 500

/** Passes the lines of a text to `take` as they arrive. */
const takeLines = async (
  body: ReadableStream<Uint8Array>,
  take: (lines: readonly string[]) => void
): Promise<void> => {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let incomplete = ''
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const lines = (incomplete + decoder.decode(read.value, { stream: true })).split('\n')
    incomplete = lines.pop() ?? ''
    take(lines)
  }
}

export const ServerLog = () => {
  const [level, setLevel] = useState<string>('info')
  const [lines, setLines] = useState<readonly string[]>([])
  const [failure, setFailure] = useState<string>()
  const currentClient = client.value
  const follow = async (signal: AbortSignal): Promise<void> => {
    setLines([])
    setFailure(undefined)
    const options = { query: { loglevel: level }, signal }
    const { body } = await currentClient.connection.request('GET', '/v1/agent/monitor', options)
    if (body) await takeLines(body, more => setLines(before => [...before, ...more].slice(-MAX_LINES)))
    setFailure('The server has ended.')
  }
  useTask(follow, error => setFailure(messageOf(error)), [currentClient, level])
  return (
    <Section title="Messages">
      <p class="choices">
        <Select label="From level" options={LEVELS} value={level} change={setLevel} />
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
