// What the server says of rules while they are typed.
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Fault } from '../../components/code-editor-props.js'
import { client } from '../../session/session.js'

interface Notice {
  readonly Message: string
  readonly Line?: number
  readonly Column?: number
}

/** The answer of `POST /v1/acl/policy/validate`. */
interface Validation {
  readonly Valid: boolean
  readonly Errors: readonly Notice[]
  readonly Warnings: readonly Notice[]
}

/** The server is asked when nothing was typed for so long, in ms. */
const PAUSE = 150

const faultsOf = ({ Errors, Warnings }: Validation): readonly Fault[] => {
  const faults = (severity: Fault['severity'], notices: readonly Notice[]) =>
    notices.map(({ Message, Line = 1, Column }) => ({
      line: Line,
      column: Column,
      severity,
      message: Message
    }))
  return [...faults('error', Errors), ...faults('warning', Warnings)]
}

/** What the server says of some rules; undefined until it has. */
export const useValidation = (
  rules: string
): { readonly validation: Validation | undefined; readonly faults: readonly Fault[] } => {
  const [validation, setValidation] = useState<Validation>()
  const asking = client.value
  useEffect(() => {
    const ended = new AbortController()
    const ask = async (): Promise<void> => {
      const sent = { body: { Rules: rules }, signal: ended.signal }
      const answer = await asking.connection.request('POST', '/v1/acl/policy/validate', sent)
      setValidation(await answer.json<Validation>())
    }
    // Without permission to validate, saving reports the faults.
    const timer = setTimeout(() => ask().catch(() => setValidation(undefined)), PAUSE)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [asking, rules])
  const faults = useMemo(() => (validation ? faultsOf(validation) : []), [validation])
  return { validation, faults }
}
