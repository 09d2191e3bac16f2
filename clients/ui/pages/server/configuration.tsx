import { useState } from 'preact/hooks'
import {
  ActionForm,
  announce,
  ConfirmButton,
  Field,
  SearchInput,
  Section,
  Select,
  Table,
  SubmitButton
} from '../../design/index.js'
import { useResponse, useTurn } from '../../session/use-response.js'
import { textOf } from '../../resources/kind.js'
import { send } from '../send.js'

interface Setting {
  /** The path of the setting, as in the documentation. */
  readonly name: string
  readonly text: string
}

const isGroup = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0

/** Flattens a group, sorted by name with its subgroups last. */
const settingsIn = (group: object, path = ''): readonly Setting[] => {
  const entries = Object.entries(group).toSorted(([one], [other]) => one.localeCompare(other))
  const single = entries.filter(([, value]) => !isGroup(value))
  const groups = entries.flatMap(([name, value]) => (isGroup(value) ? [[name, value] as const] : []))
  return [
    ...single.map(([name, value]) => ({ name: path + name, text: textOf(value) })),
    ...groups.flatMap(([name, value]) => settingsIn(value, `${path}${name}.`))
  ]
}

const USES = [
  ['default', 'Requests and DNS questions without a token (default)'],
  ['agent', 'The server itself (agent)'],
  ['agent_recovery', 'Recovery of the server (agent_recovery)'],
  ['replication', 'Replication from the primary datacenter (replication)']
] as const

const AgentTokenForm = () => {
  const [use, setUse] = useState<string>(USES[0][0])
  const [secret, setSecret] = useState('')
  const set = async (): Promise<void> => {
    await send('PUT', `/v1/agent/token/${use}`, { body: { Token: secret } })
    setSecret('')
    announce(`The token ${use} was set, until the server ends.`)
  }
  return (
    <Section title="Tokens of the server">
      <ActionForm class="choices" action={set}>
        <Select label="For" options={USES} value={use} change={setUse} />
        <Field label="Secret" isSecret value={secret} change={setSecret} />
        <SubmitButton label={secret === '' ? 'Remove' : 'Set'} />
      </ActionForm>
      <p>The token is used until the server restarts. Set it in the configuration to keep it.</p>
    </Section>
  )
}

export const Configuration = () => {
  const [turn, refresh] = useTurn()
  const [search, setSearch] = useState('')
  const { value, failure } = useResponse<object>('/v1/agent/configuration', {}, turn)
  const settings = settingsIn(value ?? {}).filter(({ name }) => name.includes(search.trim().toLowerCase()))
  const reload = async (): Promise<void> => {
    await send('PUT', '/v1/agent/reload')
    announce('Configuration reloaded.')
    refresh()
  }
  return (
    <>
      <Section title="Configuration" failure={failure}>
        <p class="choices">
          <SearchInput label="settings" value={search} change={setSearch} />
          <ConfirmButton label="Reload" isHarmless title="Reload the configuration?" action={reload}>
            Reads configuration files and certificates again, like SIGHUP. What cannot be used changes
            nothing.
          </ConfirmButton>
        </p>
        <Table
          label="Settings"
          head={['Setting', 'Value']}
          rows={value && settings.map(({ name, text }) => [<code>{name}</code>, text])}
          none="No settings match."
        />
      </Section>
      <AgentTokenForm />
    </>
  )
}
