var e={title:"Somebody else has changed this meanwhile",now:"{name} is now “{value}”",theirs:"Take theirs",mine:"Keep mine"};export{e as a};
