import type { Schemas } from '../../../typescript/typed/index.js'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Fault } from '../../design/index.js'
import { client } from '../../session/session.js'

type Notice = Schemas['RuleNotice']

type Validation = Schemas['RuleValidation']

/** The pause in typing before a validation, in ms. */
const PAUSE = 150

const faultsOf = ({ Errors, Warnings }: Validation): readonly Fault[] => {
  const faults = (severity: Fault['severity'], notices: readonly Notice[]) =>
    notices.map(({ Message, Line, Column }) => ({
      line: Line,
      column: Column,
      severity,
      message: Message
    }))
  return [...faults('error', Errors), ...faults('warning', Warnings)]
}

/** The validation is undefined until the first response. */
export const useValidation = (
  rules: string
): { readonly validation: Validation | undefined; readonly faults: readonly Fault[] } => {
  const [validation, setValidation] = useState<Validation>()
  const currentClient = client.value
  useEffect(() => {
    const controller = new AbortController()
    const validate = async (): Promise<void> => {
      const options = { body: { Rules: rules }, signal: controller.signal }
      const response = await currentClient.connection.request('POST', '/v1/acl/policy/validate', options)
      setValidation(await response.json<Validation>())
    }
    // Without permission to validate, saving reports the faults.
    const timer = setTimeout(() => validate().catch(() => setValidation(undefined)), PAUSE)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [currentClient, rules])
  const faults = useMemo(() => (validation ? faultsOf(validation) : []), [validation])
  return { validation, faults }
}
