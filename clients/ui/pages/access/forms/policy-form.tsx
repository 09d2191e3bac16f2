import { policyDefinition } from '../../../../../events/policy.js'
import { CodeEditor, FieldGroup, type Fault } from '../../../design/index.js'
import { useTask } from '../../../session/use-response.js'
import { ProposeButton } from '../proposal-view.js'
import { Form, type ResourceFormProps } from './form.js'
import type { Schemas } from '../../../../typescript/typed/index.js'
import { useLocation } from 'preact-iso'
import { useMemo, useState } from 'preact/hooks'
import { pause } from '../../../../typescript/backoff.js'
import { client } from '../../../session/session.js'
import { useFields, Inputs } from './fields-form.js'
import { textIn } from '../../../resources/kind.js'

type Validation = Schemas['RuleValidation']

/** The pause in typing before a validation, in ms. */
const PAUSE = 150

const faultsOf = ({ Errors, Warnings }: Validation): readonly Fault[] => {
  const faults = (severity: Fault['severity'], notices: readonly Schemas['RuleNotice'][]) =>
    notices.map(({ Message, Line, Column }) => ({ line: Line, column: Column, severity, message: Message }))
  return [...faults('error', Errors), ...faults('warning', Warnings)]
}

/** The validation is undefined until the first response. */
const useValidation = (rules: string) => {
  const [validation, setValidation] = useState<Validation>()
  const { connection } = client.value
  const validate = async (signal: AbortSignal): Promise<void> => {
    await pause(PAUSE, signal)
    const options = { body: { Rules: rules }, signal }
    const response = await connection.request('POST', '/v1/acl/policy/validate', options)
    setValidation(await response.json<Validation>())
  }
  // Without permission to validate, saving reports the faults.
  useTask(validate, () => setValidation(undefined), [connection, rules])
  const faults = useMemo(() => (validation ? faultsOf(validation) : []), [validation])
  return { validation, faults }
}

/** The address may contain the rules of a new policy. */
export const PolicyForm = ({ target, stored, done }: ResourceFormProps<Schemas['Policy']>) => {
  const { rules = '' } = useLocation().query
  const { draft, rows, body } = useFields({
    definition: policyDefinition,
    stored,
    inputs: [
      { Name: { required: true }, Datacenters: { placeholder: 'all' } },
      { Description: {} },
      { Rules: { initial: rules, isHidden: true } }
    ]
  })
  const text = textIn(draft.value, 'Rules')
  const { validation, faults } = useValidation(text)
  const form = { target, draft, body, isFaulty: validation?.Valid === false }
  return (
    <>
      <Form {...form} hasImpact label="Policy" done={done}>
        <Inputs draft={draft} rows={rows} place={target.place} />
        <FieldGroup title="Rules" name="Rules">
          <CodeEditor
            value={text}
            change={Rules => draft.change({ Rules })}
            language="hcl"
            label="Rules of the policy"
            faults={faults}
          />
          {text !== '' && validation?.Valid && faults.length === 0 && <p role="status">No errors</p>}
        </FieldGroup>
      </Form>
      {target.id !== undefined && draft.isEdited && (
        <ProposeButton {...target} body={body} isFaulty={form.isFaulty} done={draft.discard} />
      )}
    </>
  )
}
