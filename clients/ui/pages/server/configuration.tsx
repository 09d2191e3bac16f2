// What the server runs with: its settings without secrets, reading them again, and the tokens that it uses itself.
import { useState } from 'preact/hooks'
import { ConfirmButton } from '../../parts/confirm-button.js'
import { say } from '../../parts/said.js'
import { Table } from '../../parts/table.js'
import { client } from '../../session/session.js'
import { useAnswer } from '../../session/use-answer.js'
import { AgentTokenForm } from './agent-token.js'
import { Section } from './section.js'
import { settingsIn } from './settings.js'

export const Configuration = () => {
  const [turn, setTurn] = useState(0)
  const [wanted, setWanted] = useState('')
  const { value, failure } = useAnswer<object>('/v1/agent/configuration', {}, turn)
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
            deed={async () => {
              await client.value.connection.request('PUT', '/v1/agent/reload')
              say('The configuration was read again.')
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
