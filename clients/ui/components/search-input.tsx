// Where people write what they look for in a list: <SearchInput label="Services" value={wanted} change={setWanted} />
interface Props {
  /** What is searched. */
  readonly label: string
  readonly value: string
  readonly change: (wanted: string) => void
}

export const SearchInput = ({ label, value, change }: Props) => (
  <input
    type="search"
    id="search"
    placeholder="Search ( / )"
    aria-label={`Search in ${label}`}
    value={value}
    onInput={({ currentTarget }) => change(currentTarget.value)}
  />
)
