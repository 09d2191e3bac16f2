import { useLocation } from 'preact-iso'
import { sections, sectionPages } from '../sections.js'
import { Combobox, type Option } from '../components/combobox.js'
import { withAsOf } from '../time-travel/as-of-state.js'
import { withTenancy } from '../session/tenancy.js'

const PLACES: readonly Option[] = sections.flatMap(area =>
  area.places.map(({ path, title }) => ({ value: path, label: title, hint: area.title }))
)

/** Offers the lists in which a name may occur. */
const searches = (text: string): readonly Option[] =>
  text.trim() === ''
    ? []
    : sectionPages
        .filter(({ kind }) => kind)
        .map(({ path, title }) => ({
          value: `${path}?${new URLSearchParams({ search: text.trim() })}`,
          label: text.trim(),
          hint: `in ${title.toLowerCase()}`
        }))

export const QuickOpen = ({ close }: { readonly close: () => void }) => {
  const { route } = useLocation()
  return (
    <Combobox
      label="Page or name"
      placeholder="Tokens, services, a name …"
      options={PLACES}
      others={searches}
      close={close}
      choose={path => route(withAsOf(withTenancy(path)))}
    />
  )
}
