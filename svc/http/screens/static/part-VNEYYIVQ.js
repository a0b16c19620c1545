import{ta as t}from"./part-GGBQFXN7.js";function s(i,n){let e=async()=>{let o=await n();o.ok||t(o.problem.detail??o.problem.title,{kind:"failed"})};t(i,{undo:()=>{e()}})}export{s as a};
