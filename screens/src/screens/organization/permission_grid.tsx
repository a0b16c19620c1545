/** What a role permits, as a grid of boxes: each says what it is for. */

import { may, type Permission } from "../../house/boot";
import { roles as words } from "../../messages/en/people";
import { permissions as permissionNames } from "../../messages/en/permissions";

export const PERMISSIONS = Object.keys(permissionNames) as Permission[];

interface PermissionGridProps {
  has: (permission: Permission) => boolean;
  onChange: (permission: Permission, has: boolean) => void;
  disabled: boolean;
}

export function PermissionGrid({ has, onChange, disabled }: PermissionGridProps) {
  return (
    <fieldset class="choices">
      <legend>{words.permissions}</legend>
      {PERMISSIONS.map((permission) => (
        <label key={permission}>
          <input
            type="checkbox"
            checked={has(permission)}
            disabled={disabled || !may(permission)}
            onChange={(event) => onChange(permission, event.currentTarget.checked)}
          />
          <span class="two-lines">
            <span>{permissionNames[permission]}</span>
            <span class="soft">{words.hints[permission]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
