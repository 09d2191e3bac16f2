// A form that shows the server's message at the field that it names, or below the form:
// <SubmitForm failure={failure} submit={…}><Field name="Name" … /></SubmitForm>
import { createContext, type ButtonHTMLAttributes, type ComponentChildren } from 'preact'
import { useContext, useEffect, useRef } from 'preact/hooks'
import { useAction, useTurn } from '../session/use-response.js'
import { Denial } from './guard.js'
import { Refusal } from './notice.js'

interface Fault {
  readonly field: string
  readonly text: string
}

interface FormState {
  readonly fault?: Fault | undefined
  readonly isRunning?: boolean | undefined
  /** Number of completed runs. */
  readonly runs?: number | undefined
}

const FormContext = createContext<FormState>({})

/** Returns the server's message about a field of the form. @param name the `name` of the field */
export const useFault = (name: string | undefined): string | undefined => {
  const { fault } = useContext(FormContext)
  return name !== undefined && fault?.field === name ? fault.text : undefined
}

interface FaultProps {
  readonly text: string | undefined
  readonly id?: string
}

export const FieldFault = ({ text, id }: FaultProps) =>
  text === undefined ? null : (
    <span role="alert" class="refused" id={id}>
      {text}
    </span>
  )

/** Returns the field that a message names first. A denial names a permission. @param fields patterns of words */
const fieldNamedIn = (message: string, fields: readonly string[]): string | undefined => {
  if (message.startsWith('Permission denied')) return undefined
  const places = fields.map(field => message.search(new RegExp(`\\b(?:${field})\\b`)))
  return fields[places.indexOf(Math.min(...places.filter(place => place >= 0)))]
}

interface Props extends Omit<FormState, 'fault'> {
  readonly failure: string | undefined
  /** @param data the named inputs of the form */
  readonly submit: (data: FormData) => void
  readonly class?: string
  readonly label?: string
  /** Why the form is disabled; undefined for one that changes nothing. */
  readonly denial?: string | undefined
  readonly children: ComponentChildren
}

export const SubmitForm = (props: Props) => {
  const { failure, submit, class: className, label, denial, isRunning, runs, children } = props
  const form = useRef<HTMLFormElement>(null)
  const named = form.current?.querySelectorAll<HTMLElement>('[data-field]') ?? []
  const fields = [...named].map(({ dataset }) => dataset['field'] ?? '')
  const field = failure === undefined ? undefined : fieldNamedIn(failure, fields)
  useEffect(() => {
    if (field !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [failure])
  return (
    <>
      <form
        ref={form}
        class={className}
        aria-label={label}
        onSubmit={event => {
          event.preventDefault()
          submit(new FormData(event.currentTarget))
        }}
      >
        <FormContext.Provider
          value={{ fault: failure && field ? { field, text: failure } : undefined, isRunning, runs }}
        >
          <Denial.Provider value={denial}>
            <fieldset class="panel" disabled={denial !== undefined}>
              {children}
            </fieldset>
          </Denial.Provider>
        </FormContext.Provider>
      </form>
      <Refusal text={field === undefined ? failure : undefined} />
    </>
  )
}

interface ActionProps extends Pick<Props, 'class' | 'label' | 'children'> {
  /** @param reason the text of the ReasonInput in the form; `reasonHeaders` converts it to headers */
  readonly action: (reason: string, data: FormData) => Promise<unknown>
}

/** Runs an action on submit: <ActionForm class="choices" action={async () => …}>… <SubmitButton label="Save" /></ActionForm> */
export const ActionForm = ({ action, ...form }: ActionProps) => {
  const { failure, isRunning, run } = useAction()
  const [runs, complete] = useTurn()
  const submit = (data: FormData): void =>
    run(async () => {
      const reason = data.get('reason')
      await action(typeof reason === 'string' ? reason : '', data)
      complete()
    })
  const denial = useContext(Denial)
  return <SubmitForm {...form} {...{ failure, isRunning, runs, denial, submit }} />
}

interface ButtonProps extends Omit<ButtonHTMLAttributes, 'type' | 'label' | 'disabled'> {
  readonly label: string
  /** The label during the action. */
  readonly running?: string
  readonly disabled?: boolean
}

/** Submits its form, which runs one action at a time. */
export const SubmitButton = ({ label, running = label, disabled = false, ...attributes }: ButtonProps) => {
  const { isRunning = false } = useContext(FormContext)
  return (
    <button type="submit" {...attributes} disabled={disabled || isRunning}>
      {isRunning ? running : label}
    </button>
  )
}

/** The reason of an action, which is empty again after the action. */
export const ReasonInput = () => {
  const { runs } = useContext(FormContext)
  return <input key={runs} name="reason" aria-label="Reason" placeholder="Reason (optional)" />
}
