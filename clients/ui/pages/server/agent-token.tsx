// Gives the server a token that it uses itself, until it ends.
import { useState } from 'preact/hooks'
import { Refusal } from '../../parts/refusal.js'
import { say } from '../../parts/said.js'
import { client } from '../../session/session.js'
import { useDeed } from '../../session/use-deed.js'
import { Section } from './section.js'

const USES = [
  ['default', 'Requests and DNS questions without a token'],
  ['agent', 'The server itself'],
  ['agent_recovery', 'Recovery of the server'],
  ['replication', 'Replication from the primary datacenter']
] as const

export const AgentTokenForm = () => {
  const [use, setUse] = useState<string>(USES[0][0])
  const [secret, setSecret] = useState('')
  const { failure, isRunning, run } = useDeed()
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    run(async () => {
      await client.value.connection.request('PUT', `/v1/agent/token/${use}`, { body: { Token: secret } })
      setSecret('')
      say(`The token ${use} was set, until the server ends.`)
    })
  }
  return (
    <Section title="Tokens of the server">
      <form class="choices" onSubmit={submit}>
        <label>
          For{' '}
          <select value={use} onChange={({ currentTarget }) => setUse(currentTarget.value)}>
            {USES.map(([name, title]) => (
              <option key={name} value={name}>
                {title} ({name})
              </option>
            ))}
          </select>
        </label>
        <label>
          Secret{' '}
          <input
            type="password"
            autocomplete="off"
            value={secret}
            onInput={({ currentTarget }) => setSecret(currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={isRunning}>
          {secret === '' ? 'Take it away' : 'Set'}
        </button>
      </form>
      <p>It counts until the server ends: what shall last stands in its configuration.</p>
      <Refusal text={failure} />
    </Section>
  )
}
