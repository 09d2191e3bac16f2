// Runs a query, and says which one answers to a name and what a template becomes.
import { useState } from 'preact/hooks'
import { Refusal } from '../../parts/refusal.js'
import { client } from '../../session/session.js'
import { useDeed } from '../../session/use-deed.js'
import { Explained, type Explanation } from './explained.js'
import { queryPath } from './query.js'
import { Ran, type Result } from './ran.js'

interface FieldProps {
  readonly label: string
  readonly placeholder?: string
  readonly value: string
  readonly change: (text: string) => void
}

const Field = ({ label, placeholder, value, change }: FieldProps) => (
  <label>
    {label}{' '}
    <input
      value={value}
      placeholder={placeholder}
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
  </label>
)

interface Outcome {
  readonly name: string
  readonly ran?: Result
  readonly explained?: Explanation
}

interface Props {
  /** What is run when nothing else is written. */
  readonly name: string
  /** Whether other names than that are tried: a template answers to many. */
  readonly isOpen: boolean
}

export const Try = ({ name: given, isOpen }: Props) => {
  const [written, setWritten] = useState<string>()
  const [near, setNear] = useState('')
  const [limit, setLimit] = useState('')
  const [dc, setDc] = useState('')
  const [viaConnect, setViaConnect] = useState(false)
  const [outcome, setOutcome] = useState<Outcome>()
  const { failure, run } = useDeed()
  const name = written ?? given
  const filled = (text: string): string | undefined => (text.trim() === '' ? undefined : text.trim())
  const ask = (made: () => Promise<Omit<Outcome, 'name'>>): void => {
    setOutcome(undefined)
    run(async () => setOutcome({ name, ...(await made()) }))
  }
  const execute = (): void =>
    ask(async () => {
      const query = { near: filled(near), limit: filled(limit), dc: filled(dc), connect: viaConnect }
      const answer = await client.value.connection.request('GET', queryPath(name, '/execute'), { query })
      return { ran: await answer.json<Result>() }
    })
  const explain = (): void =>
    ask(async () => {
      const query = { dc: filled(dc) }
      const answer = await client.value.connection.request('GET', queryPath(name, '/explain'), { query })
      return { explained: await answer.json<Explanation>() }
    })
  return (
    <section aria-label="Try">
      <form
        class="choices tried"
        onSubmit={event => {
          event.preventDefault()
          execute()
        }}
      >
        {isOpen && <Field label="Name" value={name} change={setWritten} />}
        <Field label="Near" placeholder="node, _agent or _ip" value={near} change={setNear} />
        <Field label="Limit" value={limit} change={setLimit} />
        <Field label="Datacenter" value={dc} change={setDc} />
        <label>
          <input
            type="checkbox"
            checked={viaConnect}
            onChange={({ currentTarget }) => setViaConnect(currentTarget.checked)}
          />{' '}
          Connect
        </label>
        <button type="submit" disabled={name === ''}>
          Run
        </button>
        <button type="button" disabled={name === ''} onClick={explain}>
          Explain
        </button>
      </form>
      <Refusal text={failure} />
      {outcome?.ran && <Ran result={outcome.ran} />}
      {outcome?.explained && <Explained name={outcome.name} explanation={outcome.explained} />}
    </section>
  )
}
