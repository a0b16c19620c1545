import{a,b}from"./part-OISCEOV4.js";import"./part-CZIJP65P.js";export{b as SignInCard,a as default};
