// What the server runs with: its settings without secrets, reading them again, and the tokens that it uses itself.
import { useState } from 'preact/hooks'
import { ConfirmButton } from '../../components/confirm-button.js'
import { announce } from '../../components/status-announcer.js'
import { Table } from '../../components/table.js'
import { client } from '../../session/session.js'
import { useResponse } from '../../session/use-response.js'
import { Section } from './section.js'
import { Refusal } from '../../components/notice.js'
import { useAction } from '../../session/use-action.js'

/** Settings as a list: each with the path that leads to it, as the documentation names it. */
interface Setting {
  readonly name: string
  readonly text: string
}

const isGroup = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Groups come after what stands beside them, each in the order of its names. */
const settingsIn = (group: object, path = ''): readonly Setting[] => {
  const entries = Object.entries(group).toSorted(([one], [other]) => one.localeCompare(other))
  const single = entries.filter(([, value]) => !isGroup(value))
  const groups = entries.flatMap(([name, value]) => (isGroup(value) ? [[name, value] as const] : []))
  return [
    ...single.map(([name, value]) => ({ name: path + name, text: textOf(value) })),
    ...groups.flatMap(([name, value]) => settingsIn(value, `${path}${name}.`))
  ]
}

/** Gives the server a token that it uses itself, until it ends. */
const USES = [
  ['default', 'Requests and DNS questions without a token'],
  ['agent', 'The server itself'],
  ['agent_recovery', 'Recovery of the server'],
  ['replication', 'Replication from the primary datacenter']
] as const

const AgentTokenForm = () => {
  const [use, setUse] = useState<string>(USES[0][0])
  const [secret, setSecret] = useState('')
  const { failure, isRunning, run } = useAction()
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    run(async () => {
      await client.value.connection.request('PUT', `/v1/agent/token/${use}`, { body: { Token: secret } })
      setSecret('')
      announce(`The token ${use} was set, until the server ends.`)
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

export const Configuration = () => {
  const [turn, setTurn] = useState(0)
  const [wanted, setWanted] = useState('')
  const { value, failure } = useResponse<object>('/v1/agent/configuration', {}, turn)
  const settings = settingsIn(value ?? {}).filter(({ name }) => name.includes(wanted.trim().toLowerCase()))
  return (
    <>
      <Section title="Configuration" failure={failure}>
        <p class="choices">
          <input
            type="search"
            id="search"
            placeholder="Search ( / )"
            aria-label="Search in settings"
            onInput={({ currentTarget }) => setWanted(currentTarget.value)}
          />
          <ConfirmButton
            label="Reload"
            isHarmless
            title="Read the configuration again?"
            action={async () => {
              await client.value.connection.request('PUT', '/v1/agent/reload')
              announce('The configuration was read again.')
              setTurn(before => before + 1)
            }}
          >
            Files of the configuration and certificates are read again, as by SIGHUP. What cannot be used
            changes nothing.
          </ConfirmButton>
        </p>
        {value && (
          <Table
            label="Settings"
            head={['Setting', 'Value']}
            rows={settings.map(({ name, text }) => [<code key="name">{name}</code>, text])}
            none="No setting is called so."
          />
        )}
      </Section>
      <AgentTokenForm />
    </>
  )
}
