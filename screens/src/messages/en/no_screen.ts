/** Words of pages where there is no screen to show. */
export const noScreen = {
  noOrganization: "You are not a member of this organization",
  noOrganizationBody: "Somebody there can invite you. Meanwhile, go on in one of yours.",
  noRight: "Your role does not include this",
  noRightBody: "It needs the permission “{permission}”. An Owner or Admin of {organization} can give it to you, under Settings › Members.",
} as const;
