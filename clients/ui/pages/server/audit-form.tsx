// What people ask the audit.
import { useId, useState } from 'preact/hooks'
import { kinds } from '../../things/kinds.js'
import type { AuditQuestion } from './audit-query.js'

interface Props {
  readonly question: AuditQuestion
  readonly isAsking: boolean
  readonly ask: (question: AuditQuestion) => void
}

export const AuditForm = ({ question, isAsking, ask }: Props) => {
  const [asked, setAsked] = useState(question)
  const change = (changed: Partial<AuditQuestion>): void => setAsked({ ...asked, ...changed })
  const topics = useId()
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    ask(asked)
  }
  return (
    <form class="choices audit" onSubmit={submit}>
      <label>
        Token
        <input
          placeholder="AccessorID"
          value={asked.accessor}
          onInput={({ currentTarget }) => change({ accessor: currentTarget.value })}
        />
      </label>
      <label>
        Topic
        <input
          list={topics}
          placeholder="all"
          disabled={asked.denials}
          value={asked.topic}
          onInput={({ currentTarget }) => change({ topic: currentTarget.value })}
        />
      </label>
      <datalist id={topics}>
        {kinds.map(({ topic }) => (
          <option key={topic} value={topic} />
        ))}
      </datalist>
      <label>
        From
        <input
          type="datetime-local"
          value={asked.since}
          onInput={({ currentTarget }) => change({ since: currentTarget.value })}
        />
      </label>
      <label>
        To
        <input
          type="datetime-local"
          value={asked.until}
          onInput={({ currentTarget }) => change({ until: currentTarget.value })}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={asked.denials}
          onChange={({ currentTarget }) => change({ denials: currentTarget.checked })}
        />{' '}
        What was denied
      </label>
      <button type="submit" class="primary" disabled={isAsking}>
        Ask
      </button>
    </form>
  )
}
