// The rules of a policy in an editor that tells faults as one types.
import { useEffect, useRef, useState } from 'preact/hooks'
import { ReasonInput } from '../../parts/reason-input.js'
import { Refusal } from '../../parts/refusal.js'
import { reasonHeaders } from '../../session/reason.js'
import { client } from '../../session/session.js'
import { useDeed } from '../../session/use-deed.js'
import { fieldsOf } from '../../things/kind.js'
import type { PanelProps } from '../thing/panel.js'

interface Notice {
  readonly Message: string
  readonly Line?: number
}

/** The answer of `POST /v1/acl/policy/validate`. */
interface Validation {
  readonly Valid: boolean
  readonly Errors: readonly Notice[]
  readonly Warnings: readonly Notice[]
}

/** The server is asked when nothing was typed for so long, in ms. */
const PAUSE = 150

/** What the server says of some rules; undefined until it has. */
const useValidation = (rules: string): Validation | undefined => {
  const [validation, setValidation] = useState<Validation>()
  const asking = client.value
  useEffect(() => {
    const ended = new AbortController()
    const ask = async (): Promise<void> => {
      const sent = { body: { Rules: rules }, signal: ended.signal }
      const answer = await asking.connection.request('POST', '/v1/acl/policy/validate', sent)
      setValidation(await answer.json<Validation>())
    }
    // Who may not ask is told when it is saved.
    const timer = setTimeout(() => ask().catch(() => setValidation(undefined)), PAUSE)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [asking, rules])
  return validation
}

interface NoticesProps {
  readonly notices: readonly Notice[]
  readonly kind: string
  /** Shows a line of the text, from 1. */
  readonly show: (line: number) => void
}

const Notices = ({ notices, kind, show }: NoticesProps) => (
  <>
    {notices.map(({ Message, Line = 1 }) => (
      <li key={Message} class={kind}>
        <button type="button" class="plain" onClick={() => show(Line)}>
          Line {Line}
        </button>{' '}
        {Message}
      </li>
    ))}
  </>
)

export const PolicyEditor = ({ newest, named }: PanelProps) => {
  const { ID, Name, Description, Datacenters, Rules } = fieldsOf(newest.Payload ?? {})
  const saved = typeof Rules === 'string' ? Rules : ''
  const [rules, setRules] = useState(saved)
  const [reason, setReason] = useState('')
  const area = useRef<HTMLTextAreaElement>(null)
  const validation = useValidation(rules)
  const { failure, run } = useDeed()
  const show = (line: number): void => {
    const before = rules
      .split('\n')
      .slice(0, line - 1)
      .join('\n')
    const start = line === 1 ? 0 : before.length + 1
    const end = rules.indexOf('\n', start)
    area.current?.focus()
    area.current?.setSelectionRange(start, end < 0 ? rules.length : end)
  }
  const save = (): void =>
    run(async () => {
      const { ns, partition } = named
      await client.value.connection.request('PUT', `/v1/acl/policy/${String(ID)}`, {
        query: { ns, partition },
        body: { Name, Description, Datacenters, Rules: rules },
        headers: reasonHeaders(reason)
      })
    })
  return (
    <section aria-label="Rules">
      <h2>Rules</h2>
      <textarea
        ref={area}
        class="editor"
        aria-label="Rules of the policy"
        aria-invalid={validation?.Valid === false}
        aria-describedby="notices"
        spellcheck={false}
        rows={Math.min(30, rules.split('\n').length + 2)}
        value={rules}
        onInput={({ currentTarget }) => setRules(currentTarget.value)}
      />
      <ul id="notices" class="notices" aria-live="polite">
        {validation?.Valid && validation.Warnings.length === 0 && <li>No faults</li>}
        <Notices notices={validation?.Errors ?? []} kind="refused" show={show} />
        <Notices notices={validation?.Warnings ?? []} kind="index" show={show} />
      </ul>
      <p class="choices">
        <ReasonInput value={reason} change={setReason} />
        <button type="button" disabled={rules === saved || validation?.Valid === false} onClick={save}>
          Save
        </button>
      </p>
      <Refusal text={failure} />
    </section>
  )
}
