// The address names the tab: <Tabs label="Of the token" parameter="tab" tabs={[{ id: 'rights', title: 'Rights', content: () => <Rights … /> }, …]} />
import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { useId } from 'preact/hooks'
import { connect, machine } from '@zag-js/tabs'
import { normalizeProps, useMachine } from '@zag-js/preact'
import { addressWith } from '../time-travel/as-of-state.js'

interface Tab {
  readonly id: string
  readonly title: string
  readonly content: () => ComponentChildren
}

interface Props {
  readonly label: string
  /** Of the address. */
  readonly parameter: string
  readonly tabs: readonly [Tab, ...Tab[]]
}

export const Tabs = ({ label, parameter, tabs }: Props) => {
  const { url, query, route } = useLocation()
  const service = useMachine(machine, {
    id: useId(),
    value: (tabs.find(({ id }) => id === query[parameter]) ?? tabs[0]).id,
    onValueChange: ({ value }) => route(addressWith(url, parameter, value), true)
  })
  const api = connect(service, normalizeProps)
  return (
    <div class="tabs" {...api.getRootProps()}>
      <div {...api.getListProps()} aria-label={label}>
        {tabs.map(({ id, title }) => (
          <button key={id} {...api.getTriggerProps({ value: id })}>
            {title}
          </button>
        ))}
      </div>
      {tabs.map(({ id, content }) => (
        <div key={id} {...api.getContentProps({ value: id })}>
          {api.value === id && content()}
        </div>
      ))}
    </div>
  )
}
