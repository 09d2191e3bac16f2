// A form that shows the server's message at the field that it names, or below the form:
// <SubmitForm failure={failure} submit={…}><Field name="Name" … /></SubmitForm>
import { createContext, type ComponentChildren } from 'preact'
import { useContext, useEffect, useRef } from 'preact/hooks'
import { useAction } from '../session/use-response.js'
import { Refusal } from './notice.js'

interface Fault {
  readonly field: string
  readonly text: string
}

const FaultContext = createContext<Fault | undefined>(undefined)

/** Returns the server's message about a field of the form. @param name the `name` of the field */
export const useFault = (name: string | undefined): string | undefined => {
  const fault = useContext(FaultContext)
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

interface Props {
  readonly failure: string | undefined
  /** @param data the named inputs of the form */
  readonly submit: (data: FormData) => void
  readonly class?: string
  readonly label?: string
  readonly children: ComponentChildren
}

export const SubmitForm = ({ failure, submit, class: className, label, children }: Props) => {
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
        <FaultContext.Provider
          value={failure === undefined || field === undefined ? undefined : { field, text: failure }}
        >
          {children}
        </FaultContext.Provider>
      </form>
      <Refusal text={field === undefined ? failure : undefined} />
    </>
  )
}

interface ActionProps extends Pick<Props, 'class' | 'label'> {
  readonly action: (data: FormData) => Promise<void>
  readonly children: ComponentChildren | ((isRunning: boolean) => ComponentChildren)
}

/** Runs an action on submit: <ActionForm class="choices" action={async () => …}>{isRunning => …}</ActionForm> */
export const ActionForm = ({ action, children, ...form }: ActionProps) => {
  const { failure, isRunning, run } = useAction()
  return (
    <SubmitForm {...form} failure={failure} submit={data => run(() => action(data))}>
      {typeof children === 'function' ? children(isRunning) : children}
    </SubmitForm>
  )
}
